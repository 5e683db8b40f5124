import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useUser } from '../../app/project.tsx';
import { Section } from '../../ui/index.ts';
import { EndMembership } from './end-membership.tsx';
import { MembershipDialog } from './membership-dialog.tsx';
import type { User } from './model.ts';
import { rolesToGive } from './rights.ts';
import classes from './users.module.css';

export type Membership = User['memberships'][number];

/** In which projects the user works and as what: all for owners of the installation, else the open one. */
export function Memberships({ user }: { user: User }) {
  const me = useUser();
  const [changed, setChanged] = useState<Membership | 'new'>();
  const [ended, setEnded] = useState<Membership>();
  const isAnyLeft = me.memberships.some(({ project }) => user.memberships.every((one) => one.project !== project));
  return (
    <Section
      title="Projects"
      actions={
        me.is_owner &&
        isAnyLeft && (
          <Button variant="default" size="compact-sm" onClick={() => setChanged('new')}>
            Add to a project
          </Button>
        )
      }
    >
      {user.is_owner && (
        <div className={classes.dim}>
          An owner of the installation may do everything in every project, whatever roles are listed here.
        </div>
      )}
      {user.memberships.length === 0 ? (
        <div className={classes.dim}>Member of no project.</div>
      ) : (
        <ul className={classes.rows} aria-label="Projects of the user">
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
    <li className={classes.row}>
      <span className={classes.grow}>
        <Link to="/p/$project/overview" params={{ project: name }}>
          <bdi>{name}</bdi>
        </Link>
      </span>
      <span>{role}</span>
      {canChange && (
        <span className={classes.foot}>
          <Button variant="default" size="compact-xs" aria-label={`Change role in ${name}`} onClick={onChange}>
            Change role
          </Button>
          <Button variant="default" size="compact-xs" aria-label={`End membership in ${name}`} onClick={onEnd}>
            End
          </Button>
        </span>
      )}
    </li>
  );
}
