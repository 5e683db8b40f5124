import type { ResourceKind } from '@flotilla/contract';
import { MultiSelect, Skeleton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, Loaded, Page, UrlTabs } from '../../ui/index.ts';
import { AccessSwitch } from './access-switch.tsx';
import { Matrix } from './matrix.tsx';
import { keyOf, SHOWN_MAX, type Subject, useSubjects } from './subjects.ts';
import { texts } from './texts.ts';

const text = texts;
const KINDS = Object.keys(text.kinds) as ResourceKind[];

/** `?subject=user:<id>` selects a column, `?tab=` the kind of resources. */
export function PermissionsPage() {
  return (
    <Page title={text.title} lead={text.lead} isWide>
      <AccessSwitch />
      <Kinds />
    </Page>
  );
}

function Kinds() {
  const project = useProject();
  const url = useUrlState();
  const named = url.all('subject');
  const [typed, setTyped] = useState('');
  const { subjects, query } = useSubjects(named, typed);
  const all = subjects?.shown.map((subject) => `${keyOf(subject)} ${subject.label}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: by what they say, not by which array it is
  const shown = useMemo(() => subjects?.shown ?? [], [all]);
  if (!subjects)
    return (
      <Loaded query={query} what={text.subjects.label} skeleton={<Skeleton height={160} mt="md" />}>
        {() => null}
      </Loaded>
    );
  if (shown.length === 0 && typed === '')
    return (
      <Empty
        title={text.subjects.none}
        action={
          <Link to="/p/$project/groups" params={{ project: project.name }} search={{ create: 'group' }}>
            {text.subjects.createGroup}
          </Link>
        }
      >
        {text.subjects.noneHint}
      </Empty>
    );
  return (
    <>
      <ChooseSubjects
        shown={shown}
        offered={subjects.offered}
        typed={typed}
        onType={setTyped}
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

interface ChooseSubjectsProps {
  readonly shown: readonly Subject[];
  readonly offered: readonly Subject[];
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onChange: (keys: readonly string[]) => void;
}

/** Selects the columns. The controller searches, because there may be any number of subjects. */
function ChooseSubjects({ shown, offered, typed, onType, onChange }: ChooseSubjectsProps) {
  const choices = new Map([...shown, ...offered].map((subject) => [keyOf(subject), subject.label]));
  return (
    <MultiSelect
      maw={640}
      label={text.subjects.label}
      description={text.subjects.hint}
      searchable
      searchValue={typed}
      onSearchChange={onType}
      hidePickedOptions
      maxValues={SHOWN_MAX}
      nothingFoundMessage={text.subjects.notFound}
      data={[...choices].map(([value, label]) => ({ value, label }))}
      value={shown.map(keyOf)}
      onChange={onChange}
    />
  );
}
