// LOG, VLOG, CHECK and DEFINE_*: those of glog and gflags where they are installed, otherwise small
// replacements with these names. C++11.
//
// The replacements write messages to standard error. FATAL messages and failed checks abort.
// VLOG(n) prints if the environment variable GLOG_v is at least n. BMNET_OWN_LOGGING selects the
// replacements in any case.
#ifndef BMNET_UTILS_LOGGING_HPP
#define BMNET_UTILS_LOGGING_HPP

#if defined(__has_include) && !defined(BMNET_OWN_LOGGING)
#if __has_include(<glog/logging.h>)
#define BMNET_HAS_GLOG
#include <glog/logging.h>
#endif
#if __has_include(<gflags/gflags.h>)
#define BMNET_HAS_GFLAGS
#include <gflags/gflags.h>
#endif
#endif

#ifndef BMNET_HAS_GLOG
#include <bmnet/utils/own_logging.hpp>
#endif
#ifndef BMNET_HAS_GFLAGS
#include <bmnet/utils/own_flags.hpp>
#endif

#endif
