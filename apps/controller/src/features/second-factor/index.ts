export { OwnPassword } from './own-password.ts';
export { createSecondFactorRoutes, factorThrottle } from './routes.ts';
export { type FactorSetUp, type FactorState, SecondFactor } from './service.ts';
