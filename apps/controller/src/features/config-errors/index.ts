export { type Complaint, recordComplaints, resolveNode } from './recorder.ts';
export { createConfigErrorRoutes } from './routes.ts';
export { listActiveErrors } from './views.ts';
