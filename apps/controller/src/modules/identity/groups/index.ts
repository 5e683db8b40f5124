export { createGroupRoutes } from './routes.ts';
export { insertDefaultGroup } from './store.ts';
