import type { CallOutput, ThreatFeed, threatIntelRoutes } from '@flotilla/contract';
import { Button, Drawer, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Notice, UploadButton, useKept } from '../../ui/index.ts';
import layout from '../../ui/layout.module.css';
import { isFeedName } from './feed-name.ts';

const text = texts.threatIntel;

type Taken = CallOutput<typeof threatIntelRoutes.upload>;

interface UploadDrawerProps {
  readonly feeds: readonly ThreatFeed[];
  /** Whether `feeds` has been read. */
  readonly isKnown: boolean;
}

export function UploadDrawer({ feeds, isKnown }: UploadDrawerProps) {
  const url = useUrlState();
  const replaced = url.get('replace');
  const isOpen = isKnown && (replaced !== undefined || url.get('add') === 'feed');
  const close = () => url.set({ add: undefined, replace: undefined });
  const shown = useKept(isOpen ? (replaced ?? '') : undefined);
  return (
    <Drawer opened={isOpen} onClose={close} title={shown ? text.replace.title(shown) : text.add.title}>
      <UploadForm key={shown} replaced={shown === '' ? undefined : shown} feeds={feeds} onDone={close} />
    </Drawer>
  );
}

interface UploadFormProps {
  readonly replaced: string | undefined;
  readonly feeds: readonly ThreatFeed[];
  readonly onDone: () => void;
}

function UploadForm({ replaced, feeds, onDone }: UploadFormProps) {
  const queryClient = useQueryClient();
  const [typed, setTyped] = useState('');
  const [taken, setTaken] = useState<Taken>();
  const name = replaced ?? typed;
  if (taken) return <Outcome taken={taken} onDone={onDone} />;
  const isTaken = replaced === undefined && feeds.some((feed) => feed.name === name);
  return (
    <Stack gap="md">
      {replaced === undefined && (
        <TextInput
          label={text.add.name}
          description={isTaken ? text.add.nameTaken : text.add.nameHint}
          placeholder={text.add.placeholder}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          error={typed !== '' && !isFeedName(typed) ? text.add.nameInvalid : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
      )}
      <p className={layout.note}>{text.add.fileHint}</p>
      <UploadButton
        label={text.add.choose}
        failed={text.add.failed}
        maxBytes={routes.threatIntel.upload.bodyLimit}
        isDisabled={!isFeedName(name)}
        send={async (file, options) => {
          const { body } = await call(routes.threatIntel.upload, { query: { name }, file }, options);
          setTaken(body);
          await invalidate(queryClient, routes.threatIntel.list, routes.threatIntel.get);
        }}
      />
    </Stack>
  );
}

function Outcome({ taken: { feed, skipped, skipped_lines: lines }, onDone }: { taken: Taken; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Notice tone="good" title={text.taken.title(feed.name, feed.entry_count)}>
        {skipped === 0 && text.taken.allRead}
      </Notice>
      {skipped > 0 && (
        <Notice tone="warn" title={text.taken.skipped(skipped)}>
          {text.taken.lines(lines, lines.length === skipped)}
        </Notice>
      )}
      <div>
        <Button onClick={onDone} data-autofocus>
          {text.taken.done}
        </Button>
      </div>
    </Stack>
  );
}
