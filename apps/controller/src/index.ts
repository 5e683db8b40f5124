export { type ComposeOptions, type Controller, composeController } from './compose.ts';
export { type ProgramIo, runController } from './main.ts';
export { type ControllerConfig, parseConfig } from './platform/config.ts';
