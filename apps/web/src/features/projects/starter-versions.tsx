import type { ProjectStarters } from '@flotilla/contract';
import { Checkbox } from '@mantine/core';
import { texts } from '../../texts/index.ts';
import classes from './starter-versions.module.css';

const text = texts.projects.newProjectDrawer.starters;

interface StarterVersionsProps {
  readonly offered: ProjectStarters;
  readonly value: readonly string[];
  readonly onChange: (versions: readonly string[]) => void;
}

/** Selects the proxy versions for which a new project gets starter documents, and lists them. */
export function StarterVersions({ offered, value, onChange }: StarterVersionsProps) {
  return (
    <div>
      <Checkbox.Group label={text.label} description={text.hint} value={[...value]} onChange={onChange}>
        <div className={classes.versions}>
          {offered.versions.map((version) => (
            <Checkbox key={version} size="xs" value={version} label={version} />
          ))}
        </div>
      </Checkbox.Group>
      <details className={classes.more}>
        <summary>{text.documents(offered.documents.length)}</summary>
        <dl className={classes.documents}>
          {offered.documents.map(({ collection, name, description }) => (
            <div key={`${collection}/${name}`}>
              <dt className="mono">
                {collection}/{name}
              </dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  );
}
