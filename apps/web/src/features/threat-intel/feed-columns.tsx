import type { ThreatFeed } from '@flotilla/contract';
import { Link } from '@tanstack/react-router';
import { texts } from '../../texts/index.ts';
import { Digest, type PlainColumn, RowActions, State, Time } from '../../ui/index.ts';
import classes from './threat-intel.module.css';

const text = texts.threatIntel;

interface FeedActions {
  readonly onSwitch: ((feed: ThreatFeed) => void) | undefined;
  readonly onReplace: ((feed: ThreatFeed) => void) | undefined;
  readonly onDelete: ((feed: ThreatFeed) => void) | undefined;
}

export function createFeedColumns(actions: FeedActions): readonly PlainColumn<ThreatFeed>[] {
  const isOffered = Object.values(actions).some((one) => one !== undefined);
  return [
    {
      id: 'name',
      header: text.columns.name,
      isNarrow: true,
      cell: ({ name }) => (
        <Link
          to="."
          search={(before: object) => ({ ...before, feed: name })}
          resetScroll={false}
          className={classes.name}
        >
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      id: 'state',
      header: text.columns.state,
      isNarrow: true,
      cell: ({ enabled }) => {
        const [word, why] = enabled ? text.on : text.off;
        return <State word={word} why={why} tone={enabled ? 'good' : 'quiet'} shape={enabled ? 'full' : 'square'} />;
      },
    },
    {
      id: 'entries',
      header: text.columns.entries,
      align: 'right',
      isNarrow: true,
      cell: ({ entry_count }) => text.number(entry_count),
    },
    { id: 'uploaded', header: text.columns.uploaded, cell: ({ uploaded_at }) => <Time at={uploaded_at} /> },
    { id: 'by', header: text.columns.by, cell: ({ uploaded_by }) => <bdi>{uploaded_by}</bdi> },
    { id: 'digest', header: text.columns.digest, cell: ({ sha256 }) => <Digest digest={sha256} /> },
    ...(isOffered
      ? [
          {
            id: 'actions',
            header: text.columns.actions,
            isNarrow: true,
            cell: (feed: ThreatFeed) => <Actions feed={feed} {...actions} />,
          },
        ]
      : []),
  ];
}

function Actions({ feed, onSwitch, onReplace, onDelete }: { feed: ThreatFeed } & FeedActions) {
  const { name, enabled } = feed;
  const [word, label] = enabled
    ? [text.switchOff, text.switchOffLabel(name)]
    : [text.switchOn, text.switchOnLabel(name)];
  return (
    <RowActions
      of={name}
      actions={[
        { word, label, onClick: onSwitch && (() => onSwitch(feed)) },
        { word: text.replace.action, label: text.replace.label(name), onClick: onReplace && (() => onReplace(feed)) },
        { word: text.remove.action, label: text.remove.label(name), onClick: onDelete && (() => onDelete(feed)) },
      ]}
    />
  );
}
