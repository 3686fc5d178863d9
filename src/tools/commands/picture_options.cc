// tputwin run --image: its options, and defaults from a model's description.
#include "tools/commands/picture_options.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "tools/command_line.h"
#include "tools/commands/calibrate_command.h"
#include "tools/commands/command.h"

namespace tputwin::tools {
namespace {

// Copies the fields whose options were given.
void take_given(const CLI::App& app, const Description& given, Description& description) {
  const auto is_given = [&](const char* name) { return app.get_option(name)->count() > 0; };
  net::DataOptions& to = description.preparation;
  const net::DataOptions& from = given.preparation;
  if (is_given("--mean")) to.mean = from.mean;
  if (is_given("--scale")) to.scale = from.scale;
  if (is_given("--rgb")) to.rgb = from.rgb;
  if (is_given("--crop")) to.crop = from.crop;
  if (is_given("--letterbox")) to.letterbox = from.letterbox;
  if (is_given("--border")) to.border = from.border;
  if (is_given("--resize")) to.resize_h = from.resize_h, to.resize_w = from.resize_w;
  if (is_given("--input-threshold")) description.input_threshold = given.input_threshold;
  if (is_given("--detections")) description.detections.kind = given.detections.kind;
  if (is_given("--threshold")) description.detections.threshold = given.detections.threshold;
}

// Returns the description file of the model, or the given one, changed by the options.
Result<Description> described(const CLI::App& app, const PictureCommand& command) {
  Description description;
  std::string path = command.description;
  std::error_code ignored;
  if (path.empty() && std::filesystem::exists(command.model + ".json", ignored))
    path = command.model + ".json";
  if (!path.empty()) TW_RETURN_IF_ERROR(read_description(path, description));
  take_given(app, command.options.view.description, description);
  if (!command.labels.empty()) {
    TW_ASSIGN_OR_RETURN(labels, read_labels(command.labels));
    description.labels = std::move(labels);
  }
  return description;
}

Result<std::string> look_at(const CLI::App& app, PictureCommand& command) {
  TW_ASSIGN_OR_RETURN(description, described(app, command));
  command.options.view.description = std::move(description);
  command.options.progress = isatty(STDERR_FILENO) != 0;
  TW_ASSIGN_OR_RETURN(file, bmodel::open_file(command.model));
  TW_ASSIGN_OR_RETURN(
      net, open_net(std::make_shared<bmodel::OpenFile>(std::move(file)), command.choice));
  TW_ASSIGN_OR_RETURN(report, look(*net, command.options));
  return report.text;
}

}  // namespace

void add_picture_options(CLI::App& app, PictureCommand& command) {
  LookOptions& options = command.options;
  Description& description = options.view.description;
  app.add_option("--image", options.images,
                 "a picture, a folder of pictures, or a video, in place of --input; repeatable")
      ->allow_extra_args(false);
  app.add_option("--describe", command.description,
                 "JSON that defines how pictures become the input and what outputs mean; default: "
                 "MODEL.json, if it is there");
  app.add_option("--labels", command.labels, "names of the classes, one a line");
  app.add_option("--top", options.view.top, "so many classes; default 5")->check(at_least_one());
  app.add_option("--scores", options.view.scores,
                 "the output with the classes; default: the first");
  app.add_option("--detections", description.detections.kind,
                 "outputs are boxes: ssd, yolo, yolov5, yolov8, priors or mtcnn")
      ->transform(one_of<DetectionKind>({{"none", DetectionKind::none},
                                         {"ssd", DetectionKind::ssd},
                                         {"yolo", DetectionKind::yolo},
                                         {"yolov5", DetectionKind::yolov5},
                                         {"yolov8", DetectionKind::yolov8},
                                         {"priors", DetectionKind::priors},
                                         {"mtcnn", DetectionKind::mtcnn}}));
  app.add_option("--threshold", description.detections.threshold,
                 "of the scores of boxes; default 0.5");
  app.add_option("--input-threshold", description.input_threshold,
                 "the magnitude that becomes 127, of a model without one");
  app.add_option("--draw", options.draw,
                 "draw what is seen: a picture, of several pictures a sheet, or a folder");
  app.add_option("--format", options.format,
                 "text, json, or npy or bin: a file in the folder --output for each output")
      ->transform(one_of<ResultFormat>({{"text", ResultFormat::text},
                                        {"json", ResultFormat::json},
                                        {"npy", ResultFormat::npy},
                                        {"bin", ResultFormat::bin}}));
  add_preparation_options(app, description.preparation);
}

int run_pictures(const CLI::App& app, PictureCommand& command) {
  const ResultFormat format = command.options.format;
  const bool needs_folder = format == ResultFormat::npy || format == ResultFormat::bin;
  if (needs_folder && command.options.output.empty())
    return bad_usage(app, "--format npy and bin need a folder: --output", kUsage);
  return print(look_at(app, command));
}

}  // namespace tputwin::tools
