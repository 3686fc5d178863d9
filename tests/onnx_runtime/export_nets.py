#!/usr/bin/python3
"""export_nets.py FOLDER [--opset N] [NET...]: exports networks of torchvision.

PyTorch's exporter writes them. Weights are random, and each network gets one random input.
onnx_runtime_models --of and compare.mjs read the files. Above the last opset that the exporter
writes, its nodes are rewritten in the forms that newer exporters write."""
import argparse
import json
import os
import warnings

import onnx
import torch
import torchvision

warnings.filterwarnings("ignore")


class Heads(torch.nn.Module):
    """A detector without the steps that decode and suppress boxes, which have no static shape."""

    def __init__(self, detector):
        super().__init__()
        self.backbone, self.head = detector.backbone, detector.head

    def forward(self, x):
        features = list(self.backbone(x).values())
        heads = self.head(features)
        return heads["bbox_regression"], heads["cls_logits"]


class Whole(torch.nn.Module):
    """A detector with its ends: boxes, scores and labels, whose number is known at run time."""

    def __init__(self, detector):
        super().__init__()
        self.detector = detector

    def forward(self, x):
        return tuple(self.detector([x[0]])[0].values())


class Output(torch.nn.Module):
    """A segmentation network without its auxiliary results."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)["out"]


def classifier(name, size=64, **options):
    return lambda: (getattr(torchvision.models, name)(weights=None, **options), size)


def segmentation(name):
    make = getattr(torchvision.models.segmentation, name)
    return lambda: (Output(make(weights=None, weights_backbone=None)), 65)


def ssdlite():
    make = torchvision.models.detection.ssdlite320_mobilenet_v3_large
    return Heads(make(weights=None, weights_backbone=None)), 320


def whole(name, size, most, **options):
    make = getattr(torchvision.models.detection, name)
    options |= {most: 10, "weights": None, "weights_backbone": None}
    if "ssd" not in name:
        options |= {"min_size": size, "max_size": size}
    return lambda: (Whole(make(**options)), size)


NETS = {
    "resnet18": classifier("resnet18"),
    "resnet50": classifier("resnet50"),
    "mobilenet_v2": classifier("mobilenet_v2"),
    "mobilenet_v3_small": classifier("mobilenet_v3_small"),
    "mobilenet_v3_large": classifier("mobilenet_v3_large"),
    "efficientnet_b0": classifier("efficientnet_b0"),
    "convnext_tiny": classifier("convnext_tiny"),
    "vit_b_16": classifier("vit_b_16", 224),
    "swin_t": classifier("swin_t", 224),
    "regnet_y_400mf": classifier("regnet_y_400mf"),
    "shufflenet_v2_x1_0": classifier("shufflenet_v2_x1_0"),
    "squeezenet1_1": classifier("squeezenet1_1"),
    "densenet121": classifier("densenet121"),
    "googlenet": classifier("googlenet", init_weights=False, aux_logits=False),
    "inception_v3": classifier("inception_v3", 96, init_weights=False, aux_logits=False),
    "mnasnet0_5": classifier("mnasnet0_5"),
    "deeplabv3_mobilenet_v3_large": segmentation("deeplabv3_mobilenet_v3_large"),
    "lraspp_mobilenet_v3_large": segmentation("lraspp_mobilenet_v3_large"),
    "fcn_resnet50": segmentation("fcn_resnet50"),
    "ssdlite320_mobilenet_v3_large": ssdlite,
    "ssd300_vgg16": whole("ssd300_vgg16", 300, "detections_per_img"),
    "retinanet_resnet50_fpn": whole("retinanet_resnet50_fpn", 128, "detections_per_img"),
    "fcos_resnet50_fpn": whole("fcos_resnet50_fpn", 128, "detections_per_img"),
    "fasterrcnn_resnet50_fpn_v2": whole("fasterrcnn_resnet50_fpn_v2", 128, "box_detections_per_img"),
    "fasterrcnn_mobilenet_v3_large_320_fpn":
        whole("fasterrcnn_mobilenet_v3_large_320_fpn", 256, "box_detections_per_img"),
}


def enliven(net, size):
    """Sets weights and statistics with which every layer changes the result.

    PyTorch begins with heads of zeros, layers scaled by 1e-6, and statistics of no data.
    """
    for parameter in net.parameters():
        if parameter.dim() > 1 and parameter.abs().max() < 1e-5:
            torch.nn.init.normal_(parameter, std=0.5 if parameter.dim() > 2 else 0.05)
    norms = [m for m in net.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
    if norms:
        net.train()
        with torch.no_grad():
            net(torch.randn(4, 3, size, size))
    net.eval()


def enliven_detector(net, size):
    """Sets statistics of what the layers see, and heads that tell boxes and classes apart."""

    def measure(norm, inputs):
        norm.running_mean.copy_(inputs[0].mean((0, 2, 3)))
        norm.running_var.copy_(inputs[0].var((0, 2, 3)) + 1e-3)

    with torch.no_grad():
        for name, parameter in net.named_parameters():
            is_head = "backbone" not in name
            if "cls_score.weight" in name or "cls_logits.weight" in name:
                parameter *= 8
            if "bbox_pred.weight" in name:
                parameter *= 5
            if is_head and "bias" in name:
                parameter += 0.3 * torch.randn_like(parameter)
        norms = [m for m in net.modules() if hasattr(m, "running_mean")]
        hooks = [norm.register_forward_pre_hook(measure) for norm in norms]
        net.eval()
        net(picture(size))
        for hook in hooks:
            hook.remove()


def picture(size):
    """Smooth values from 0 to 1, as photos have."""
    coarse = torch.rand(1, 3, size // 16, size // 16)
    return torch.nn.functional.interpolate(coarse, size=(size, size), mode="bicubic").clamp(0, 1)


LAST_EXPORTED = 17  # by PyTorch 1.13


def axes_as_input(graph, node):
    """Reductions of opset 18 have their axes as an input."""
    for attribute in [a for a in node.attribute if a.name == "axes"]:
        name = f"{node.output[0]}/axes"
        tensor = onnx.helper.make_tensor(name, onnx.TensorProto.INT64, [len(attribute.ints)],
                                         list(attribute.ints))
        graph.initializer.append(tensor)
        node.input.append(name)
        node.attribute.remove(attribute)


def raise_opset(path, opset):
    """Writes the model in the forms of a later opset."""
    model = onnx.load(path)
    for node in model.graph.node:
        if node.op_type.startswith("Reduce") and node.op_type != "ReduceSum":
            axes_as_input(model.graph, node)
        if node.op_type == "Split" and len(node.input) == 1:
            node.attribute.append(onnx.helper.make_attribute("num_outputs", len(node.output)))
    del model.opset_import[:]
    model.opset_import.append(onnx.helper.make_opsetid("", opset))
    with open(path, "wb") as file:
        file.write(model.SerializeToString())


def export(name, folder, opset):
    torch.manual_seed(1)
    net, size = NETS[name]()
    is_detector = isinstance(net, Whole)
    (enliven_detector if is_detector else enliven)(net, size)
    x = picture(size) if is_detector else torch.randn(1, 3, size, size)
    stem = os.path.join(folder, f"{name}-{opset}")
    torch.onnx.export(net, x, stem + ".onnx", opset_version=min(opset, LAST_EXPORTED),
                      input_names=["x"])
    if opset > LAST_EXPORTED:
        raise_opset(stem + ".onnx", opset)
    tensor = {"dims": list(x.shape), "data": x.flatten().tolist()}
    if is_detector:
        tensor["type"] = "float32"  # Chips may take it whose nets have parts on the host.
    with open(stem + ".json", "w", encoding="ascii") as file:
        json.dump({"about": f"{name} opset {opset}", "relative": True,
                   "inputs": {"x": tensor}}, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("nets", nargs="*", help="default: all")
    options = parser.parse_intermixed_args()
    os.makedirs(options.folder, exist_ok=True)
    for name in options.nets or NETS:
        try:
            export(name, options.folder, options.opset)
        except Exception as error:  # one exporter's failure must not hide the other nets
            print(f"{name}: not exported at opset {options.opset}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
