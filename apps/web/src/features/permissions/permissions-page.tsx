import type { ResourceKind } from '@flotilla/contract';
import { MultiSelect, Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { texts } from '../../texts/index.ts';
import { Empty, Page, UrlTabs } from '../../ui/index.ts';
import { AccessSwitch } from './access-switch.tsx';
import { Matrix } from './matrix.tsx';
import classes from './permissions.module.css';
import { chooseShown, keyOf, type Subject, useSubjects } from './subjects.ts';

const text = texts.permissions;
const KINDS = Object.keys(text.kinds) as ResourceKind[];

/** `?subject=user:<id>` chooses a column, `?tab=` the kind of things. */
export function PermissionsPage() {
  const subjects = useSubjects();
  return (
    <Page title={text.title} lead={text.lead} isWide>
      <AccessSwitch />
      {subjects === undefined ? <Skeleton height={160} mt="md" /> : <Kinds subjects={subjects} />}
    </Page>
  );
}

function Kinds({ subjects }: { subjects: readonly Subject[] }) {
  const url = useUrlState();
  const named = url.all('subject');
  const all = subjects.map((subject) => `${keyOf(subject)} ${subject.label}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what they say, not by which arrays they are
  const shown = useMemo(() => chooseShown(subjects, named), [all, named.join()]);
  if (subjects.length === 0) return <Empty title={text.subjects.none}>{text.subjects.noneHint}</Empty>;
  return (
    <>
      <MultiSelect
        className={classes.choice}
        label={text.subjects.label}
        description={text.subjects.hint}
        searchable
        hidePickedOptions
        limit={200}
        data={subjects.map((subject) => ({ value: keyOf(subject), label: subject.label }))}
        value={shown.map(keyOf)}
        onChange={(keys) => url.set({ subject: keys })}
      />
      <UrlTabs
        label={text.tabs}
        tabs={KINDS.map((kind) => ({
          id: kind,
          label: text.kinds[kind],
          content: () => <Matrix kind={kind} subjects={shown} />,
        }))}
      />
    </>
  );
}
