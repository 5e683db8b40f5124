import type { Role, UserView } from '@flotilla/contract';
import { isRoleAtLeast, rolesWithin } from '../../accounts/index.ts';
import type { SessionUser } from '../../api/index.ts';
import { texts } from './texts.tsx';

const text = texts.rights;

type Viewer = Pick<SessionUser, 'id' | 'is_owner' | 'memberships'>;
type Target = Pick<UserView, 'id' | 'is_owner' | 'memberships'>;
type Account = Target & Pick<UserView, 'administrable' | 'home_project'>;

/**
 * Returns why the viewer may not change the account itself (name, address, password, active); undefined if they may. Only the controller
 * knows the home project of other accounts.
 */
export function whyNoAccount(viewer: Viewer, target: Account): string | undefined {
  if (target.administrable) return undefined;
  if (target.is_owner) return text.onlyOwnersChange;
  const home = target.memberships.find(({ project }) => project === target.home_project);
  if (home && !reaches(viewer, home.project, home.role)) return text.roleAboveYours(home.role, home.project_name);
  return text.notOfThisProject;
}

/** Returns the roles that the viewer may give the target in the project; empty if they may not change the membership. */
export function rolesToGive(viewer: Viewer, target: Target, project: string): readonly Role[] {
  const own = roleIn(viewer, project);
  if (own === undefined || !isRoleAtLeast(own, 'admin') || (target.is_owner && !viewer.is_owner)) return [];
  const current = roleIn(target, project);
  return current === undefined || isRoleAtLeast(own, current) ? rolesWithin(own) : [];
}

function reaches(viewer: Viewer, project: string, role: Role): boolean {
  const own = roleIn(viewer, project);
  return own !== undefined && isRoleAtLeast(own, 'admin') && isRoleAtLeast(own, role);
}

/** Returns the role in a project. Owners of the installation have the role owner in every project, as in the session. */
function roleIn({ memberships }: Pick<Viewer, 'memberships'>, project: string): Role | undefined {
  return memberships.find((membership) => membership.project === project)?.role;
}
