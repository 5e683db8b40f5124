import type { UserView } from '@flotilla/contract';
import { type Administrator, hasAccountAuthority, type User } from './model.ts';

/**
 * What the API shows of a user, who comes with all memberships: with `projectId` only the one in that project. Without an
 * administrator whoever reads may change nothing.
 */
export function toUserView(
  user: User,
  projectId: string | undefined,
  administrator: Administrator | undefined,
): UserView {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    is_owner: user.isOwner,
    active: user.active,
    realm: user.realm,
    administrable: hasAccountAuthority(administrator, user),
    memberships: user.memberships
      .filter((membership) => projectId === undefined || membership.projectId === projectId)
      .map(({ projectId: project, projectName, role }) => ({ project, project_name: projectName, role })),
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    revision: user.revision,
  };
}
