import { Button, Group, SegmentedControl } from '@mantine/core';
import type { ReactNode } from 'react';
import { routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Loaded, Section, Time } from '../../../ui/index.ts';
import { toDraft } from '../editing/draft.ts';
import type { Service } from '../types.ts';
import { ChangeList } from './change-list.tsx';
import { Code, FormatChoice } from './code.tsx';
import { diffJson } from './diff.ts';

interface RevisionViewProps {
  readonly service: Service;
  readonly revision: number;
  readonly actions: ReactNode;
  readonly onClose: () => void;
}

/** One revision: what it changed, how it differs from what holds now, or the whole of it (`?with=`). */
export function RevisionView({ service, revision, actions, onClose }: RevisionViewProps) {
  const project = useProject();
  const url = useUrlState();
  const input = (number: number) => ({
    params: { service_id: service.id, revision: number },
    query: { project: project.id },
  });
  const query = useApi(routes.service.revision, input(revision));
  const before = useApi(routes.service.revision, input(revision - 1), { enabled: revision > 1 });
  const compared = url.get('with') ?? 'before';
  const current = { ...toDraft(service) };
  return (
    <Section
      title={`Revision ${revision}`}
      actions={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Show"
            value={compared}
            onChange={(value) => url.set({ with: value === 'before' ? undefined : value })}
            data={[
              { value: 'before', label: 'What it changed' },
              { value: 'current', label: 'Against the current one' },
              { value: 'whole', label: 'Whole' },
            ]}
          />
          {compared === 'whole' && <FormatChoice />}
          {actions}
          <Button variant="default" onClick={onClose}>
            Back to the current one
          </Button>
        </Group>
      }
    >
      <Loaded query={query} what={`Revision ${revision}`} skeleton={6}>
        {({ body }) => {
          const { project: _, ...document } = body.document;
          return (
            <>
              <p style={{ margin: 0 }}>
                <Time at={body.at} /> by <bdi>{body.by}</bdi>
              </p>
              {compared === 'whole' && <Code value={document} label={`revision ${revision}`} />}
              {compared === 'current' && (
                <ChangeList label="Against the current one" changes={diffJson(document, current)} />
              )}
              {compared === 'before' &&
                (revision === 1 ? (
                  <ChangeList label="What it changed" changes={diffJson({}, document)} />
                ) : (
                  <Loaded query={before} what={`Revision ${revision - 1}`} skeleton={3}>
                    {(older) => (
                      <ChangeList label="What it changed" changes={diffJson(older.body.document, body.document)} />
                    )}
                  </Loaded>
                ))}
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}
