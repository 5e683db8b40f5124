import { createFail } from './define.ts';

export const CONTROLLER_ERRORS = {
  'controller.alive': {
    status: 409,
    message:
      'Controller {hostname} is alive: it reported {age} seconds ago. Stop it; its entry is then deleted automatically.',
  },
} as const;

export const failController = createFail(CONTROLLER_ERRORS);
