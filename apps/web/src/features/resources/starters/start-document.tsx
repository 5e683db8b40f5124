import { Select } from '@mantine/core';
import { useState } from 'react';
import { call, routes, useApi } from '../../../api/index.ts';
import { useProject } from '../../../app/project.tsx';
import { useUrlState } from '../../../app/url-state.ts';
import { Loaded } from '../../../ui/index.ts';
import type { CollectionName } from '../collection-texts.ts';
import { texts } from '../texts.tsx';
import { StarterCards } from './starter-cards.tsx';
import { type FilledStarter, StarterForm } from './starter-form.tsx';
import classes from './starters.module.css';

const text = texts.starters;

interface StartDocumentProps {
  readonly collection: CollectionName;
  readonly version: string;
  readonly versions: readonly string[];
  /** Id of the chosen starter. */
  readonly chosen: string | undefined;
  readonly onFill: (filled: FilledStarter) => void;
}

/** The first step of a new document: a template, and what it asks for. */
export function StartDocument({ collection, version, versions, chosen, onFill }: StartDocumentProps) {
  const project = useProject();
  const url = useUrlState();
  const starters = useApi(routes.schema.starters, { query: { version, collection } });
  const [returnedFrom, setReturnedFrom] = useState<string>();
  const judgeName = async (name: string) => {
    const query = { project: project.id, version };
    try {
      await call(routes.xds.get, { params: { collection, name }, query });
      return text.taken;
    } catch {
      // There is none. If the controller does not answer, the check of the editor says so.
      return undefined;
    }
  };
  return (
    <Loaded query={starters} what={text.what}>
      {({ body }) => {
        const starter = body.items.find(({ id }) => id === chosen);
        if (starter)
          return (
            <StarterForm
              key={`${version} ${starter.id}`}
              starter={starter}
              version={version}
              judgeName={judgeName}
              onDone={onFill}
              onBack={() => {
                setReturnedFrom(starter.id);
                url.set({ starter: undefined }, 'push');
              }}
            />
          );
        return (
          <>
            {versions.length > 1 && (
              <Select
                className={classes.version}
                label={texts.newResourcePage.form.proxyVersion}
                searchable
                allowDeselect={false}
                data={[...versions]}
                value={version}
                onChange={(next) => next && url.set({ version: next })}
              />
            )}
            <StarterCards
              starters={body.items}
              focused={returnedFrom}
              onChoose={(id) => url.set({ starter: id }, 'push')}
            />
          </>
        );
      }}
    </Loaded>
  );
}
