import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { Confirm, Loaded, Section, sayDone, useKept } from '../../ui/index.ts';
import { texts } from './texts.ts';

const text = texts.access;
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
            <Text maw="70ch">{text[access].text}</Text>
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
