export { createSecondFactorRoutes, factorThrottle } from './routes.ts';
export { type FactorKind, type FactorSetUp, SecondFactor } from './service.ts';
