export { createConfigErrorRoutes } from './routes.ts';
export { listActiveErrors } from './views.ts';
