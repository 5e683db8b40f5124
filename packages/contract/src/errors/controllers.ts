import { createFail } from './define.ts';

export const CONTROLLER_ERRORS = {
  'controller.alive': {
    status: 409,
    message: 'Controller {hostname} is alive: it was heard {age} seconds ago. Stop it; then its entry goes by itself.',
  },
} as const;

export const failController = createFail(CONTROLLER_ERRORS);
