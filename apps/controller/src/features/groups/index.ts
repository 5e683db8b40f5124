export { createGroupRoutes } from './routes.ts';
export {
  deleteGroupMember,
  findGroup,
  insertDefaultGroup,
  insertGroup,
  insertGroupMember,
  updateGroup,
} from './store.ts';
