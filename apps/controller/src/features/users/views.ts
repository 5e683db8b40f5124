import type { UserView } from '@flotilla/contract';
import type { User } from './model.ts';

/** What the API shows of a user: with `projectId` only the membership in that project. */
export function toUserView(user: User, projectId: string | undefined): UserView {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    is_owner: user.isOwner,
    active: user.active,
    memberships: user.memberships
      .filter((membership) => projectId === undefined || membership.projectId === projectId)
      .map(({ projectId: project, projectName, role }) => ({ project, project_name: projectName, role })),
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    revision: user.revision,
  };
}
