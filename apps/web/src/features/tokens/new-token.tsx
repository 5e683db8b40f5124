import type { TokenRules } from '@flotilla/contract';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { routes, useApi } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { CommandLine, Facts, ShownOnce, Time, UrlDrawer } from '../../ui/index.ts';
import { NewTokenForm } from './new-token-form.tsx';
import { texts } from './texts.tsx';
import { type CreatedToken, formatCurl } from './token-model.ts';

const text = texts.newTokenDrawer;

/** Creates a token in a drawer, which opens when the rules of the installation are known. */
export function NewToken() {
  const project = useProject();
  const can = useCan();
  const rules = useApi(routes.setting.get, { params: { key: 'tokens' }, query: { project: project.id } }, NEWS);
  return (
    <UrlDrawer
      name="create"
      value="token"
      title={text.drawer.title}
      size="lg"
      isAllowed={can(routes.apiToken.create) && !rules.isPending}
      holdsSecret
    >
      {(_, close) => <CreateToken rules={toRules(rules.data?.body.value)} onDone={close} />}
    </UrlDrawer>
  );
}

const NEWS = { topics: ['setting'] } as const;

/** Completes the rules. Nothing is limited here if they could not be loaded, but the controller still enforces them. */
function toRules(value: unknown): TokenRules {
  const free: TokenRules = { longest_days: null, default_days: null, default_families: [] };
  return { ...free, ...(value as Partial<TokenRules> | undefined) };
}

/** Only this component holds the value of the token. */
function CreateToken({ rules, onDone }: { rules: TokenRules; onDone: () => void }) {
  const [created, setCreated] = useState<CreatedToken>();
  if (!created) return <NewTokenForm rules={rules} onCreated={setCreated} />;
  return (
    <Stack gap="md">
      <Text role="status">{text.created.isCreated(<bdi className="mono">{created.name}</bdi>)}</Text>
      <ShownOnce secret={created.token} what={text.created.secret}>
        {text.created.shownOnce(created.role)}
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
