import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { texts } from '../../texts/index.ts';
import { Confirm, Loaded, Section, sayDone, useKept } from '../../ui/index.ts';
import classes from './permissions.module.css';

const text = texts.permissions.access;
type Access = 'open' | 'listed';

/** Switches between access for all members and restricted access. */
export function AccessSwitch() {
  const project = useProject();
  const query = { project: project.id };
  const found = useApi(routes.permission.access, { query }, { topics: ['project'] });
  const can = useCan();
  const queryClient = useQueryClient();
  const [wanted, setWanted] = useState<Access>();
  const asked = useKept(wanted) ?? 'listed';
  return (
    <Loaded query={found} what={text.what}>
      {({ body: { resource_access: access } }) => {
        const other = access === 'open' ? 'listed' : 'open';
        return (
          <Section
            title={text[access].title}
            {...(can(routes.permission.setAccess) && {
              actions: (
                <Button variant="default" size="xs" onClick={() => setWanted(other)}>
                  {text[access].action}
                </Button>
              ),
            })}
          >
            <p className={classes.hint}>{text[access].text}</p>
            <Confirm
              opened={wanted !== undefined}
              title={text.confirm[asked].title}
              action={text[asked === 'open' ? 'listed' : 'open'].action}
              onClose={() => setWanted(undefined)}
              onConfirm={async () => {
                if (!wanted) return;
                await call(routes.permission.setAccess, { query, body: { resource_access: wanted } });
                await invalidate(queryClient, routes.permission.access);
                sayDone(text.done[wanted]);
              }}
            >
              {text.confirm[asked].text}
            </Confirm>
          </Section>
        );
      }}
    </Loaded>
  );
}
