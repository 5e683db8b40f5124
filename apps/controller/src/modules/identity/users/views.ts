import type { UserView } from '@flotilla/contract';
import { type Administrator, hasAccountAuthority, type User } from './model.ts';

/**
 * The API's view of a user with all memberships, or only that in `projectId`. Without an administrator, the reader may
 * change nothing.
 */
export function toUserView(
  user: User,
  projectId: string | undefined,
  administrator: Administrator | undefined,
): UserView {
  // A project must not learn the home of a foreign account.
  const home = projectId === undefined || user.home?.id === projectId ? user.home : undefined;
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    is_owner: user.isOwner,
    active: user.active,
    realm: user.realm,
    home_project: home?.id ?? null,
    home_project_name: home?.name ?? null,
    administrable: hasAccountAuthority(administrator, user),
    memberships: user.memberships
      .filter((membership) => projectId === undefined || membership.projectId === projectId)
      .map(({ projectId: project, projectName, role }) => ({ project, project_name: projectName, role })),
    created_at: user.createdAt.toISOString(),
    updated_at: user.updatedAt.toISOString(),
    revision: user.revision,
  };
}
