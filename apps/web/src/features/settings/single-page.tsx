import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes, type SettingKindRef, useApi } from '../../api/index.ts';
import { Confirm, Loaded, Notice, Page, sayDone } from '../../ui/index.ts';
import { type JsonSchema, toFields } from './schema-fields.ts';
import { SettingEditor, saySaved } from './setting-editor.tsx';
import { texts } from './texts.ts';
import { type SettingKind, useSettingKind } from './use-kind.ts';

const text = texts;

/** Renders a kind with one document. */
export function SinglePage({ kind }: { kind: SettingKindRef }) {
  const { query, kinds } = useSettingKind(kind);
  return (
    <Page title={kind.title} lead={text.leadOf(kind.key)}>
      <Loaded query={kinds} what={text.what(kind.title)}>
        {({ body }) => {
          const known = body.items.find(({ key }) => key === kind.key);
          return known ? <Single kind={known} query={query} /> : null;
        }}
      </Loaded>
    </Page>
  );
}

function Single({ kind, query }: { kind: SettingKind; query: { project?: string } }) {
  const stored = useApi(routes.setting.get, { params: { key: kind.key }, query }, { topics: ['setting'] });
  // A reset creates a new form without the typed values.
  const [edition, setEdition] = useState(0);
  return (
    <>
      {!kind.may_write && <Notice tone="quiet" title={text.readOnly} />}
      <Loaded query={stored} what={text.what(kind.title)}>
        {(loaded) => (
          <SettingEditor
            key={edition}
            title={kind.title}
            place={{ key: kind.key, name: undefined, query }}
            stored={loaded}
            fields={toFields(kind.json_schema as JsonSchema)}
            mayWrite={kind.may_write}
            mayTest={kind.may_test}
            onSaved={() => saySaved(kind.title)}
            actions={
              kind.may_write &&
              loaded.body.revision > 0 && (
                <Reset kind={kind} query={query} onDone={() => setEdition((before) => before + 1)} />
              )
            }
          />
        )}
      </Loaded>
    </>
  );
}

interface ResetProps {
  readonly kind: SettingKind;
  readonly query: { project?: string };
  readonly onDone: () => void;
}

function Reset({ kind, query, onDone }: ResetProps) {
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {text.reset.action}
      </Button>
      <Confirm
        opened={isAsking}
        title={text.reset.title(kind.title)}
        action={text.reset.confirm}
        isDangerous
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await call(routes.setting.reset, { params: { key: kind.key }, query });
          await invalidate(queryClient, routes.setting.get);
          sayDone(text.reset.done(kind.title));
          onDone();
        }}
      >
        {text.reset.text} {text.effectOfDeletion(kind.key)}
      </Confirm>
    </>
  );
}
