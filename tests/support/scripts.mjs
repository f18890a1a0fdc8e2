// @ts-check
// The parts of the project's scripts that tests use too.
export { CORE_ROOMS, roomBreaches } from "../../scripts/core-rooms.mjs";
export { findNode, MAJORS } from "../../scripts/find-node.mjs";
export { installLocked, npmProgram } from "../../scripts/install.mjs";
