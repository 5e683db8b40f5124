import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useUser } from '../../app/project.tsx';
import { Section } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { EndMembership } from './end-membership.tsx';
import { MembershipDialog } from './membership-dialog.tsx';
import type { Membership, User } from './model.ts';
import { rolesToGive } from './rights.ts';
import { texts } from './texts.tsx';

const text = texts.memberships;

/** Lists projects and roles of the user: all for owners of the installation, or else the open project. */
export function Memberships({ user }: { user: User }) {
  const me = useUser();
  const [changed, setChanged] = useState<Membership | 'new'>();
  const [ended, setEnded] = useState<Membership>();
  const isAnyLeft = me.memberships.some(({ project }) => user.memberships.every((one) => one.project !== project));
  return (
    <Section
      title={text.section.title}
      actions={
        me.is_owner &&
        isAnyLeft && (
          <Button variant="default" size="compact-sm" onClick={() => setChanged('new')}>
            {text.section.add}
          </Button>
        )
      }
    >
      {user.is_owner && <div className={lines.dim}>{text.section.ownerMayAll}</div>}
      {user.memberships.length === 0 ? (
        <div className={lines.dim}>{text.section.memberOfNone}</div>
      ) : (
        <ul className={lines.rows} aria-label={text.section.list}>
          {user.memberships.map((membership) => (
            <MembershipRow
              key={membership.project}
              membership={membership}
              canChange={rolesToGive(me, user, membership.project).length > 0}
              onChange={() => setChanged(membership)}
              onEnd={() => setEnded(membership)}
            />
          ))}
        </ul>
      )}
      <MembershipDialog user={user} membership={changed} onClose={() => setChanged(undefined)} />
      <EndMembership user={user} membership={ended} onClose={() => setEnded(undefined)} />
    </Section>
  );
}

interface MembershipRowProps {
  readonly membership: Membership;
  readonly canChange: boolean;
  readonly onChange: () => void;
  readonly onEnd: () => void;
}

function MembershipRow({ membership, canChange, onChange, onEnd }: MembershipRowProps) {
  const { project_name: name, role } = membership;
  return (
    <li className={lines.row}>
      <span className={lines.grow}>
        <Link to="/p/$project/overview" params={{ project: name }}>
          <bdi>{name}</bdi>
        </Link>
      </span>
      <span>{role}</span>
      {canChange && (
        <span className={layout.actions}>
          <Button variant="default" size="compact-xs" aria-label={text.row.changeRoleIn(name)} onClick={onChange}>
            {text.row.changeRole}
          </Button>
          <Button variant="default" size="compact-xs" aria-label={text.row.endIn(name)} onClick={onEnd}>
            {text.row.end}
          </Button>
        </span>
      )}
    </li>
  );
}
