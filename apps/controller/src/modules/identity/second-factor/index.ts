export { OwnPassword } from './own-password.ts';
export { createSecondFactorRoutes } from './routes.ts';
export { type FactorSetUp, type FactorState, SecondFactor } from './service.ts';
