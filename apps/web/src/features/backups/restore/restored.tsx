import type { RestoreView } from '@flotilla/contract';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Project } from '../../../app/project.tsx';
import { Notice } from '../../../ui/index.ts';
import layout from '../../../ui/layout.module.css';
import { countWrites } from '../backup-model.ts';
import { texts } from '../texts.ts';
import { Results } from './plan-view.tsx';

const text = texts.restore;

interface RestoredProps {
  readonly result: RestoreView;
  readonly project: Project;
  readonly onDone: () => void;
}

export function Restored({ result, project, onDone }: RestoredProps) {
  const { summary } = result;
  return (
    <div className={layout.stack}>
      <Notice tone="good" title={text.done(summary ? countWrites(summary) : 0)}>
        {text.doneText}
      </Notice>
      {summary && <Results summary={summary} />}
      <Link
        to="/p/$project/settings/$section"
        params={{ project: project.name, section: 'backups' }}
        search={{ backup: result.restore_point ?? undefined }}
      >
        {text.point}
      </Link>
      <div>
        <Button onClick={onDone} data-autofocus>
          {text.close}
        </Button>
      </div>
    </div>
  );
}
