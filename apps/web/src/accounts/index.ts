export { ChangeSecret, MadeSecret, type NewSecret, RotateSecret } from './change-secret.tsx';
export { NameField } from './name-field.tsx';
export { NamedForm } from './named-form.tsx';
export { judgeName, NAME_HINT } from './names.ts';
export { NewPassword } from './new-password.tsx';
export {
  askForPasskey,
  isElsewhere,
  isKnownHere,
  knowsPasskeys,
  makePasskey,
  wasCancelled,
} from './passkeys.ts';
export { RoleSelect } from './role-select.tsx';
export { isRoleAtLeast, rolesWithin } from './roles.ts';
export { CodeInput } from './second-factor/code-input.tsx';
export { type FactorKind, isComplete, toGiven } from './second-factor/codes.ts';
export { BackupCodes, type FactorSetUp, SetUpSteps } from './second-factor/set-up.tsx';
