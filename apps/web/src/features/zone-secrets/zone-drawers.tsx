import type { CallOutput, ZoneSecretView, zoneSecretRoutes } from '@flotilla/contract';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { MadeSecret, type NewSecret, RotateSecret } from '../../accounts/index.ts';
import { routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { ApiFormBody, Facts, UrlDrawer, useApiForm, useWrite } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { texts } from './texts.ts';

const text = texts;
const STALE = { stale: [routes.zoneSecret.list] };

type Made = CallOutput<typeof zoneSecretRoutes.create>;

/** Create and rotate secrets. An unknown zone in the URL opens nothing. */
export function ZoneDrawers({ zones }: { zones: readonly ZoneSecretView[] }) {
  const url = useUrlState();
  const can = useCan();
  const changed = zones.find(({ zone }) => zone === url.get('change'));
  return (
    <>
      <UrlDrawer name="add" value="zone" title={text.add.title} isAllowed={can(routes.zoneSecret.create)} holdsSecret>
        {(_, close) => <Add onDone={close} />}
      </UrlDrawer>
      <UrlDrawer
        name="change"
        title={text.rotate.title(changed?.zone ?? '')}
        isAllowed={changed !== undefined && can(routes.zoneSecret.rotate)}
        holdsSecret
      >
        {(_, close) => changed && <Rotate of={changed} onDone={close} />}
      </UrlDrawer>
    </>
  );
}

/** Only this component holds the new secret. */
function Add({ onDone }: { onDone: () => void }) {
  const project = useProject();
  const write = useWrite();
  const [made, setMade] = useState<NewSecret>();
  const form = useApiForm({
    route: routes.zoneSecret.create,
    initial: { zone: '' },
    send: async (body) => {
      const answer = await write(routes.zoneSecret.create, { query: { project: project.id }, body }, STALE);
      setMade(toNewSecret(answer.body));
    },
  });
  if (made) return <MadeSecret made={made} what={text.made.what} once={text.made.once} onDone={onDone} />;
  return (
    <ApiFormBody form={form} action={text.add.submit} failed={text.add.failed}>
      <p className={layout.note}>{text.add.once}</p>
      <TextInput
        label={text.add.zone}
        description={text.add.zoneHint}
        placeholder={text.add.placeholder}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        {...form.field('zone')}
        onChange={(event) => form.set('zone', event.currentTarget.value.trim())}
        data-autofocus
      />
    </ApiFormBody>
  );
}

function Rotate({ of: { zone, secrets }, onDone }: { of: ZoneSecretView; onDone: () => void }) {
  const project = useProject();
  const write = useWrite();
  return (
    <RotateSecret
      what={text.made.what}
      once={text.made.once}
      endsAt={secrets[1]?.expires_at}
      onDone={onDone}
      send={async (overlap) => {
        const input = { params: { zone }, query: { project: project.id }, body: { overlap_s: overlap } };
        return toNewSecret((await write(routes.zoneSecret.rotate, input, STALE)).body);
      }}
    >
      {text.rotate.text}
    </RotateSecret>
  );
}

function toNewSecret({ zone, key_id: keyId, secret, secrets }: Made): NewSecret {
  const id = (
    <span key="key" className="mono">
      {keyId}
    </span>
  );
  return {
    secret,
    oldEnds: secrets[1]?.expires_at,
    title: text.made.title(zone),
    beside: <Facts facts={[[text.made.key, id]]} />,
  };
}
