import { Button, Group, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { CodeEditor } from '../../changes/index.ts';
import { Loaded, Notice } from '../../ui/index.ts';
import type { Decision } from './decision.ts';
import type { Policy } from './model.ts';
import { findRule } from './structure/find-rule.ts';
import { readStructure } from './structure/structure.ts';
import { texts } from './texts.tsx';
import { DECISION } from './use-asked-rule.ts';

const text = texts.decidingText;

/** Shows that an older text decided the request, and the line that did. */
export function DecidingText({ policy, decision }: { policy: Policy; decision: Decision }) {
  const url = useUrlState();
  if (decision.kind === 'asking' || decision.kind === 'now') return null;
  const isAtText = (url.get('tab') ?? 'edit') === 'edit';
  const revision = decision.kind === 'earlier' ? decision.revision : undefined;
  return (
    <Stack component="section" gap={14} miw={0} aria-label={text.title}>
      <Notice tone="warn" title={revision === undefined ? text.unknownTitle : text.earlierTitle(revision)}>
        <div>{revision === undefined ? text.unknown : text.earlier(policy.revision)}</div>
        <Group gap="xs" mt="xs">
          <Button
            variant="default"
            size="compact-xs"
            onClick={() =>
              url.set({ tab: 'history', ...(revision && { revision: String(revision), against: 'now' }) }, 'push')
            }
          >
            {revision === undefined ? text.history : text.compare}
          </Button>
          <Button variant="default" size="compact-xs" onClick={() => url.set(DECISION, 'push')}>
            {revision === undefined ? text.close : text.showNow}
          </Button>
        </Group>
      </Notice>
      {isAtText && revision !== undefined && <TextOf policy={policy} revision={revision} />}
    </Stack>
  );
}

function TextOf({ policy, revision }: { policy: Policy; revision: number }) {
  const project = useProject();
  const query = useApi(routes.policy.getRevision, {
    params: { name: policy.name, revision },
    query: { project: project.id },
  });
  return (
    <Loaded query={query} what={text.what} skeleton={8}>
      {({ body }) => <TextAtRule text={body.text} label={text.textOf(revision)} />}
    </Loaded>
  );
}

function TextAtRule({ text: value, label }: { text: string; label: string }) {
  const url = useUrlState();
  const [host = '', route = '', engine = ''] = [url.get('host'), url.get('route'), url.get('engine')];
  const revealed = useMemo(() => {
    const reading = readStructure(value);
    const found = reading.ok ? findRule(reading.structure, { host, route, engine }) : undefined;
    return found && { line: found.line, takesCursor: true };
  }, [value, host, route, engine]);
  return <CodeEditor value={value} language="yaml" readOnly ariaLabel={label} maxHeight="320px" revealed={revealed} />;
}
