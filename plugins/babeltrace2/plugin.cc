// What libbabeltrace2 finds in this module: the component class filter.syncline.correct.
#include <babeltrace2/babeltrace.h>

#include "component.h"
#include "iterator.h"

namespace plugin = syncline::babeltrace_plugin;

// The library's macros are written for C.
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

extern "C" {
BT_PLUGIN_MODULE();
}

BT_PLUGIN(syncline);
BT_PLUGIN_DESCRIPTION("Times of unsynchronized clocks, corrected");
BT_PLUGIN_AUTHOR("The Syncline authors");
BT_PLUGIN_LICENSE("Apache-2.0");

BT_PLUGIN_FILTER_COMPONENT_CLASS(correct, plugin::NextMessages);
BT_PLUGIN_FILTER_COMPONENT_CLASS_DESCRIPTION(
    correct, "Replace the times of messages by those that `syncline sync` computed.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_HELP(
    correct,
    "Parameters:\n\n"
    "  summary=FILE   syncline.json, the summary of `syncline sync` (mandatory)\n"
    "  clock=NAME     the clock of the summary that stamped all traces of this component;\n"
    "                 default: the one called as the hostname of each trace's environment\n\n"
    "Connect it after a muxer, or in place of one to the sources themselves: it takes any number\n"
    "of inputs and puts their messages into the order of the corrected times.");
BT_PLUGIN_FILTER_COMPONENT_CLASS_INITIALIZE_METHOD(correct, plugin::BeginComponent);
BT_PLUGIN_FILTER_COMPONENT_CLASS_FINALIZE_METHOD(correct, plugin::EndComponent);
BT_PLUGIN_FILTER_COMPONENT_CLASS_INPUT_PORT_CONNECTED_METHOD(correct, plugin::InputConnected);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(correct,
                                                                          plugin::BeginIterator);
BT_PLUGIN_FILTER_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(correct,
                                                                        plugin::EndIterator);
