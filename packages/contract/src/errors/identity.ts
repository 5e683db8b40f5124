import { createFail } from './define.ts';

/** Browser sessions, users, projects, memberships, API tokens and the caller's profile. */
export const IDENTITY_ERRORS = {
  'csrf.invalid': {
    status: 403,
    message:
      'A change with a session cookie needs its CSRF token. Send the csrf_token of GET /auth/browser/session in the header x-csrf-token.',
  },
  'csrf.cross_site': {
    status: 403,
    message:
      'A page of another site ({site}) made this request. Open the screens at the address of this controller ({host}). A proxy in front of it has to forward the Host header.',
  },
  'auth.session_required': {
    status: 403,
    message: 'Sign in as a user for this. API tokens cannot change accounts, memberships or tokens.',
  },
  'user.owner_only': {
    status: 403,
    message: 'Only owners of the installation may create, change or remove an owner of the installation.',
  },
  'user.other_projects': {
    status: 403,
    message:
      'The account {name} does not belong to a project that you administer. You can change or end its membership in your project. Only admins of its own project and owners of the installation can change the account itself.',
  },
  'user.last_owner': {
    status: 409,
    message: 'User {name} is the last active owner of the installation. Add another owner first.',
  },
  'user.plan_changed': {
    status: 409,
    message: 'The deletion plan of {name} has changed. Read it again.',
  },
  'membership.last_administrator': {
    status: 409,
    message: 'User {name} is the last active admin or owner of project {project}. Give somebody else that role first.',
  },
  'user.membership_required': {
    status: 400,
    message: 'Set memberships to the role of the user in your project. It must name your project and no other.',
  },
  'invitation.too_many': {
    status: 409,
    message: 'A project can have at most {max} open invitations. Withdraw some, or wait until they expire.',
  },
  'project.factor_required': {
    status: 403,
    message:
      'This project requires a second factor, and you signed in without one. Set one up in your profile. If you have one, sign in again with it.',
  },
  'role.too_high': { status: 403, message: 'The role {role} is above your own role {own} in this project.' },
  'user.of_directory': {
    status: 409,
    message: 'This account signs in with another system. Change its name, password and address there.',
  },
  'password.weak': { status: 400, message: 'Choose another password: {reason}' },
  'password.wrong': { status: 403, message: 'The current password is wrong.' },
  'password.own': { status: 403, message: 'Change your own password with PUT /api/v3/profile/password.' },
  'token.scope': {
    status: 403,
    message: 'This API token does not have the scope {family}. Create a token with that scope, or use another token.',
  },
  'token.overlap': {
    status: 409,
    message:
      'An earlier rotation lasts until {at}, so two secrets are already valid. Wait until then, or rotate with overlap_s 0, which ends all older secrets at once.',
  },
  'token.wider': {
    status: 403,
    message: 'A token can only be narrowed, and {field} would extend it. Create a new token for that.',
  },
  'token.too_long': {
    status: 400,
    message:
      'API tokens of this installation are valid for at most {days} days. Set expires_at to {latest} or earlier. Owners of the installation can change the limit.',
  },
  'token.end_first': {
    status: 409,
    message:
      'Token {name} does not expire within the {days} days that this installation allows. Set expires_at with PATCH first, or create a new token.',
  },
  'token.expiry_past': { status: 400, message: 'expires_at must be in the future.' },
  'zone.too_many': {
    status: 409,
    message: 'A project can have secrets for at most {max} zones. End those of a zone that is no longer served.',
  },
  'signature.time': {
    status: 401,
    message:
      'The request was signed at {signed}, and it is {now} here, which is more than {window} seconds apart. Set the clock.',
  },
  'permission.missing': {
    status: 403,
    message:
      'You may see this {kind}, but not {level} it, because this project restricts its editors and viewers to their permissions. Ask an admin of the project for the permission.',
  },
  'project.not_empty': {
    status: 409,
    message:
      'Project {name} still contains {contents}. To delete all of it, read GET /api/v3/setting/project/ID/deletion and send its digest as plan.',
  },
  'project.plan_changed': {
    status: 409,
    message: 'The deletion plan of project {name} has changed. Read it again.',
  },
  'project.running': {
    status: 409,
    message: 'Clients still run services of project {name}: {services}. Undeploy them first.',
  },
} as const;

export const failIdentity = createFail(IDENTITY_ERRORS);
