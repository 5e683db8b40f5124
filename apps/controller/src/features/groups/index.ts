export { createGroupRoutes } from './routes.ts';
export { deleteGroupMember, findGroup, insertGroup, insertGroupMember, updateGroup } from './store.ts';
