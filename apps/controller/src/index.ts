export { type ComposeOptions, type Controller, composeController } from './compose.ts';
export { type ControllerConfig, parseConfig } from './config.ts';
export { type ProgramIo, runController } from './main.ts';
