// Numbers for what is wanted of an export of the module that stands for many. `src/codes.rs` says the same in the same
// order; a unit test compares the two.

// Of `registry.number`.
export const LOOK = 0;
export const BUILD_TOOLS = 1;
export const NAMES_STAMP = 2;
export const VERSION = 3;
export const GENERATION = 4;
export const IS_LIVE = 5;
export const IS_IDLE = 6;
export const COMMIT = 7;
export const REGISTERED = 8;
export const PREPARE_AGAIN = 9;
export const CALL_GENERATION = 10;

// Of `registry.change`.
export const CLOSE_VIEW = 0;
export const CLOSE_TOOLSET = 1;
export const WATCH_TOOLSET = 2;
export const RECONCILE = 3;
export const ACCEPT_OFFER = 4;
export const UNREGISTER = 5;
export const INVALIDATE = 6;
export const RELEASE_SPEC = 7;
export const SET_AUDIENCE = 8;
export const END = 9;
export const RECOVERED = 10;

// Of `registry.read`: a text.
export const TAKEN_TEXT = 0;
export const SURFACE_ID = 1;
export const MARK = 2;
export const REGISTRATION_HEAD = 3;
export const SPEC_DESCRIPTOR = 4;
export const VIEW_NEWS = 5;
export const VIEW_CELL = 6;
export const TOOL_NAMES = 7;
export const TOOL_STATE = 8;
export const TOOL_LABEL = 9;
export const OFFERED_TOOL = 10;
export const BROWSER_STATUS = 11;
export const PENDING_CONFIRMATIONS = 12;

// Of `registry.rows`: a list of numbers.
export const TOOL_ROWS = 0;
export const OFFERED_TARGET = 1;

// Of `registry.confirmation`.
export const STATUS = 0;
export const DESCRIPTION = 1;
export const GESTURE_REFUSED = 2;
export const APPROVE = 3;
export const DENY = 4;

// Of `registry.answer`: what reached the core on its own. A policy ended normally, by throwing a payload, or anything else.
export const TICK = 0;
export const DEADLINE = 1;
export const ABORT = 2;
export const NEXT = 3;
export const ESCALATE = 4;
export const CHECKED = 5;
export const PRECONDITION_DONE = 6;
export const HANDLER_DONE = 7;
export const POLICY_DONE = 8;
export const POLICY_REFUSED = 9;
export const POLICY_FAILED = 10;
export const AUDIT_CALL = 11;

// Of `name`: a text about texts.
export const IS_COMPONENT_TYPE = 0;
export const IS_CAPABILITY_NAME = 1;
export const IS_INSTANCE_ID = 2;
export const PARSE_ID = 3;
export const VIEW_ID = 4;
export const DOMAIN_ID = 5;
export const WIRE_NAME = 6;
export const WIRE_NAME_AT = 7;
export const ID_OF_WIRE_NAME = 8;
export const WIRE_NAMES = 9;
export const IN_SCOPE = 10;
export const SCHEMA_FAULT = 11;
