import { Button } from '@mantine/core';
import { useState } from 'react';
import { knowsPasskeys } from '../../accounts/index.ts';
import { routes, useApi } from '../../api/index.ts';
import { passkeysTexts } from '../../shell/sign-in-texts.ts';
import { Loaded, Section, Time } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import lines from '../../ui/rows.module.css';
import { AddPasskey } from './add-passkey.tsx';
import { type Passkey, RemovePasskey, RenamePasskey } from './change-passkey.tsx';

const text = passkeysTexts;

/** Lists the user's passkeys, or explains why they are not available. */
export function Passkeys() {
  const query = useApi(routes.passkey.list, {});
  const realms = useApi(routes.directory.realms, {});
  const isReady = realms.data?.body.passkeys === true;
  const obstacle = isReady ? text.notHere : text.noAddress;
  const canAdd = isReady && knowsPasskeys();
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title={text.title}
      actions={
        canAdd && (
          <Button variant="default" size="compact-sm" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        )
      }
    >
      <p className={layout.note}>{canAdd || !realms.data ? text.intro : obstacle}</p>
      <Loaded query={query} what={text.what}>
        {({ body }) => body.items.length > 0 && <PasskeyList passkeys={body.items} />}
      </Loaded>
      <AddPasskey opened={isAdding} onClose={() => setAdding(false)} />
    </Section>
  );
}

function PasskeyList({ passkeys }: { passkeys: readonly Passkey[] }) {
  const [renamed, setRenamed] = useState<Passkey>();
  const [removed, setRemoved] = useState<Passkey>();
  return (
    <>
      <ul className={lines.rows} aria-label={text.what}>
        {passkeys.map((passkey) => (
          <li key={passkey.id} className={lines.row}>
            <PasskeyUse passkey={passkey} />
            <Button
              variant="default"
              size="compact-xs"
              aria-label={text.renameOf(passkey.name)}
              onClick={() => setRenamed(passkey)}
            >
              {text.rename}
            </Button>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={text.removeOf(passkey.name)}
              onClick={() => setRemoved(passkey)}
            >
              {text.remove}
            </Button>
          </li>
        ))}
      </ul>
      <RenamePasskey passkey={renamed} onClose={() => setRenamed(undefined)} />
      <RemovePasskey passkey={removed} onClose={() => setRemoved(undefined)} />
    </>
  );
}

function PasskeyUse({ passkey }: { passkey: Passkey }) {
  return (
    <span className={lines.grow}>
      <bdi>{passkey.name}</bdi>
      <span className={lines.hint}>
        {text.made} <Time at={passkey.created_at} /> ·{' '}
        {passkey.last_used_at ? (
          <>
            {text.used} <Time at={passkey.last_used_at} />
          </>
        ) : (
          text.neverUsed
        )}
        {passkey.backed_up && ` · ${text.onMany}`}
      </span>
    </span>
  );
}
