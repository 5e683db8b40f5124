import type { Role, TokenRules } from '@flotilla/contract';
import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { CommandLine, Facts, ShownOnce, Time } from '../../ui/index.ts';
import { NewTokenForm } from './new-token-form.tsx';
import { type CreatedToken, formatCurl } from './token-model.ts';

const text = texts.tokens.newTokenDrawer;

/** Creates a token. Only this component holds its value. */
export function NewTokenDrawer() {
  const url = useUrlState();
  const project = useProject();
  const rules = useApi(routes.setting.get, { params: { key: 'tokens' }, query: { project: project.id } }, NEWS);
  const close = () => url.set({ create: undefined });
  return (
    <Drawer
      opened={url.get('create') === 'token' && !rules.isPending}
      onClose={close}
      title={text.drawer.title}
      size="lg"
    >
      <NewToken rules={toRules(rules.data?.body.value)} onDone={close} />
    </Drawer>
  );
}

const NEWS = { topics: ['setting'] } as const;

/** If they cannot be read, the controller still enforces them. */
function toRules(value: unknown): TokenRules {
  const free: TokenRules = { longest_days: null, default_days: null, default_families: [] };
  return { ...free, ...(value as Partial<TokenRules> | undefined) };
}

function NewToken({ rules, onDone }: { rules: TokenRules; onDone: () => void }) {
  const [created, setCreated] = useState<CreatedToken>();
  if (!created) return <NewTokenForm rules={rules} onCreated={setCreated} />;
  const role: Role = created.role;
  return (
    <Stack gap="md">
      <Text role="status">{text.created.isCreated(<bdi className="mono">{created.name}</bdi>)}</Text>
      <ShownOnce secret={created.token} what={text.created.secret}>
        {text.created.shownOnce(role)}
      </ShownOnce>
      <Text>{text.created.tryIt}</Text>
      <CommandLine text={formatCurl(created.token, window.location.origin, routes.profile.get.path)} />
      <Facts
        facts={[
          [text.created.role, created.role],
          [text.created.expires, <Time key="e" at={created.expires_at} />],
        ]}
      />
      <Group gap="xs">
        <Button onClick={onDone}>{text.created.done}</Button>
        <Button variant="default" onClick={() => setCreated(undefined)}>
          {text.created.createAnother}
        </Button>
      </Group>
    </Stack>
  );
}
