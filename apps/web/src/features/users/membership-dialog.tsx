import type { Role } from '@flotilla/contract';
import { Select } from '@mantine/core';
import { isRoleAtLeast, RoleSelect } from '../../accounts/index.ts';
import { loadSession, routes } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { ApiFormBody, FormDialog, Notice, useApiForm, useWrite } from '../../ui/index.ts';
import type { Membership, User } from './model.ts';
import { rolesToGive } from './rights.ts';
import { texts } from './texts.tsx';

const text = texts.membershipDialog;

interface MembershipDialogProps {
  readonly user: User;
  /** `new`: a membership in a project that the user is not in yet. */
  readonly membership: Membership | 'new' | undefined;
  readonly onClose: () => void;
}

/** Gives the user a role in a project. */
export function MembershipDialog({ user, membership, onClose }: MembershipDialogProps) {
  return (
    <FormDialog
      of={membership}
      title={(shown) => (shown === 'new' ? text.dialog.addTitle : text.dialog.roleTitle(shown.project_name))}
      onClose={onClose}
    >
      {(shown) => (
        <MembershipForm
          key={shown === 'new' ? shown : shown.project}
          user={user}
          membership={shown === 'new' ? undefined : shown}
          onClose={onClose}
        />
      )}
    </FormDialog>
  );
}

interface MembershipFormProps {
  readonly user: User;
  readonly membership: Membership | undefined;
  readonly onClose: () => void;
}

function MembershipForm({ user, membership, onClose }: MembershipFormProps) {
  const me = useUser();
  const write = useWrite();
  const form = useApiForm({
    route: routes.user.setMembership,
    initial: { project: membership?.project ?? null, role: membership?.role ?? ('viewer' as Role) },
    send: async ({ project, role }) => {
      if (project === null) return;
      await write(
        routes.user.setMembership,
        { params: { user_id: user.id, project_id: project }, body: { role } },
        { done: text.form.done(user.username, role), stale: [routes.user.get, routes.user.list, routes.project.list] },
      );
      onClose();
      if (user.id === me.id) await loadSession();
    },
  });
  const { project, role } = form.values;
  const free = me.memberships.filter((mine) => user.memberships.every((one) => one.project !== mine.project));
  const isLess = membership !== undefined && !isRoleAtLeast(role, membership.role);
  return (
    <ApiFormBody
      form={form}
      action={membership ? text.form.changeRole : text.form.add}
      failed={text.form.failed}
      isReady={project !== null && role !== membership?.role}
      onCancel={onClose}
    >
      {!membership && (
        <Select
          label={text.form.project}
          searchable
          required
          withAsterisk={false}
          limit={200}
          data={free.map((one) => ({ value: one.project, label: one.project_name }))}
          {...form.field('project')}
          data-autofocus
        />
      )}
      <RoleSelect
        label={text.form.role}
        roles={project ? rolesToGive(me, user, project) : [role]}
        value={role}
        onChange={(next) => form.set('role', next)}
      />
      {isLess && user.id === me.id && !me.is_owner && (
        <Notice tone="warn" title={text.form.takesFromYourself}>
          {text.form.whoGivesBack(membership.role)}
        </Notice>
      )}
      {isLess && !user.is_owner && <div>{text.form.tokensLimited(role)}</div>}
    </ApiFormBody>
  );
}
