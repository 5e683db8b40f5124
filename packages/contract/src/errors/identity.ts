import { createFail } from './define.ts';

/** Browser sessions, users, projects, memberships, API tokens and the own profile. */
export const IDENTITY_ERRORS = {
  'csrf.invalid': {
    status: 403,
    message:
      'A session cookie changes something only together with its CSRF token. Send the csrf_token of GET /auth/browser/session as the header x-csrf-token.',
  },
  'csrf.cross_site': {
    status: 403,
    message:
      'A page of another site ({site}) made this request. Open the screens at the address of this controller ({host}); a proxy in front of it has to pass the Host header on.',
  },
  'auth.session_required': {
    status: 403,
    message: 'Sign in as a user for this: API tokens change no accounts, memberships or tokens.',
  },
  'user.owner_only': {
    status: 403,
    message: 'Only owners of the installation may make, change or remove an owner of the installation.',
  },
  'user.other_projects': {
    status: 403,
    message:
      'User {name} also belongs to projects that you do not administer. Change the membership in your project, and leave the account to an owner of the installation.',
  },
  'user.last_owner': {
    status: 409,
    message: 'User {name} is the last active owner of the installation. Make another owner first.',
  },
  'user.plan_changed': {
    status: 409,
    message: 'Something else hangs on the account of {name} now than the plan says. Read its deletion plan again.',
  },
  'membership.last_administrator': {
    status: 409,
    message: 'User {name} is the last active admin or owner of project {project}. Make somebody else one first.',
  },
  'user.membership_required': {
    status: 400,
    message: 'Say which role the user has in your project: memberships must name it, and no other project.',
  },
  'role.too_high': { status: 403, message: 'The role {role} is above your own role {own} in this project.' },
  'user.of_directory': {
    status: 409,
    message: 'This account signs in elsewhere: its name, password and address are changed there.',
  },
  'password.weak': { status: 400, message: 'Choose another password: {reason}' },
  'password.wrong': { status: 403, message: 'The current password is wrong.' },
  'password.own': { status: 403, message: 'Change your own password at PUT /api/v3/profile/password.' },
  'token.scope': {
    status: 403,
    message:
      'This API token was not made for this: it needs the family {family}. Make a token with it, or call with another.',
  },
  'token.overlap': {
    status: 409,
    message:
      'An earlier rotation lasts until {at}: two secrets hold already. Wait for it, or rotate with overlap_s 0, which ends all older secrets at once.',
  },
  'token.wider': {
    status: 403,
    message: 'A token can only be narrowed: {field} would let it do more, or longer. Make a new token for that.',
  },
  'token.too_long': {
    status: 400,
    message:
      'API tokens work for {days} days at most in this installation: set expires_at to {latest} or earlier. Owners of the installation set the bound.',
  },
  'token.end_first': {
    status: 409,
    message:
      'Token {name} has no end within the {days} days that tokens of this installation work at most. Give it one first (PATCH with expires_at), or make a new token.',
  },
  'token.expiry_past': { status: 400, message: 'expires_at must lie in the future.' },
  'zone.too_many': {
    status: 409,
    message: 'A project has secrets for {max} zones at most. End those of a zone that is no longer served.',
  },
  'signature.time': {
    status: 401,
    message:
      'The request was signed at {signed}, and it is {now} here: more than {window} seconds apart. Set the clock.',
  },
  'permission.missing': {
    status: 403,
    message:
      'You may see this {kind}, but not {level} it: this project lists what its editors and viewers may reach. Ask an admin of the project for the permission.',
  },
  'project.not_empty': {
    status: 409,
    message:
      'Project {name} still holds {contents}. Read GET /api/v3/setting/project/ID/deletion, and send its digest as plan to delete all of it.',
  },
  'project.plan_changed': {
    status: 409,
    message: 'Project {name} holds other things now than the plan says. Read its deletion plan again.',
  },
  'project.running': {
    status: 409,
    message: 'Clients still run services of project {name}: {services}. Undeploy them first.',
  },
} as const;

export const failIdentity = createFail(IDENTITY_ERRORS);
