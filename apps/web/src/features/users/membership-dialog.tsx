import type { Role } from '@flotilla/contract';
import { Button, Group, Modal, Select, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { isRoleAtLeast, RoleSelect } from '../../accounts/index.ts';
import { call, invalidate, loadSession, routes } from '../../api/index.ts';
import { useUser } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Notice, Problem, sayDone, useKept, useSending } from '../../ui/index.ts';
import type { Membership, User } from './model.ts';
import { rolesToGive } from './rights.ts';

const text = texts.users.membershipDialog;

interface MembershipDialogProps {
  readonly user: User;
  /** `new`: in a project that the user is not in yet. */
  readonly membership: Membership | 'new' | undefined;
  readonly onClose: () => void;
}

/** Gives the user a role in a project. */
export function MembershipDialog({ user, membership, onClose }: MembershipDialogProps) {
  const shown = useKept(membership);
  return (
    <Modal
      opened={membership !== undefined}
      onClose={onClose}
      title={shown === 'new' ? text.dialog.addTitle : text.dialog.roleTitle(shown?.project_name ?? '')}
    >
      {shown && (
        <MembershipForm
          key={shown === 'new' ? shown : shown.project}
          user={user}
          membership={shown === 'new' ? undefined : shown}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}

interface MembershipFormProps {
  readonly user: User;
  readonly membership: Membership | undefined;
  readonly onClose: () => void;
}

function MembershipForm({ user, membership, onClose }: MembershipFormProps) {
  const me = useUser();
  const queryClient = useQueryClient();
  const sending = useSending();
  const [project, setProject] = useState<string | null>(membership?.project ?? null);
  const [role, setRole] = useState<Role>(membership?.role ?? 'viewer');
  const free = me.memberships.filter((mine) => user.memberships.every((one) => one.project !== mine.project));
  const isLess = membership !== undefined && !isRoleAtLeast(role, membership.role);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!project) return;
    const isSet = await sending.send(() =>
      call(routes.user.setMembership, { params: { user_id: user.id, project_id: project }, body: { role } }),
    );
    if (!isSet) return;
    onClose();
    sayDone(text.form.done(user.username, role));
    await invalidate(queryClient, routes.user.get, routes.user.list, routes.project.list);
    if (user.id === me.id) await loadSession();
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        {!membership && (
          <Select
            label={text.form.project}
            searchable
            required
            withAsterisk={false}
            limit={200}
            data={free.map((one) => ({ value: one.project, label: one.project_name }))}
            value={project}
            onChange={setProject}
            data-autofocus
          />
        )}
        <RoleSelect
          label={text.form.role}
          roles={project ? rolesToGive(me, user, project) : [role]}
          value={role}
          onChange={setRole}
        />
        {isLess && user.id === me.id && !me.is_owner && (
          <Notice tone="warn" title={text.form.takesFromYourself}>
            {text.form.whoGivesBack(membership.role)}
          </Notice>
        )}
        {isLess && !user.is_owner && <div>{text.form.tokensLimited(role)}</div>}
        {sending.error !== undefined && <Problem error={sending.error} what={text.form.failed} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {texts.ui.confirm.cancel}
          </Button>
          <Button type="submit" loading={sending.isBusy} disabled={!project || role === membership?.role}>
            {membership ? text.form.changeRole : text.form.add}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
