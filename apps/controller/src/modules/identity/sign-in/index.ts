export { FactorPipeline } from './pipeline.ts';
export { createSignInRoutes } from './routes.ts';
