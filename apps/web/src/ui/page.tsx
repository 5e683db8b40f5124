import { type ReactNode, useId } from 'react';
import { useDocumentTitle } from '../app/installation.ts';
import classes from './page.module.css';
import { texts } from './texts.tsx';

const text = texts.page;

export interface PageProps {
  /** Also part of the document title. */
  readonly title: string;
  /** Shown beside the title: a state, a version. */
  readonly beside?: ReactNode;
  /** Breadcrumb links, outermost first. */
  readonly trail?: readonly ReactNode[];
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  /** Uses the full width. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Page({ title, beside, trail, lead, actions, isWide, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div className={`${classes.page} ${isWide ? classes.wide : ''}`}>
      <header className={classes.header}>
        <div className={classes.titles}>
          {trail && (
            <nav className={classes.trail} aria-label={text.trail}>
              {trail.map((part, index) => (
                // The crumbs of a page always have the same order.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <span key={index}>{part} /</span>
              ))}
            </nav>
          )}
          <h1 className={classes.title}>
            <bdi>{title}</bdi>
            {beside}
          </h1>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface ColumnsProps {
  readonly children: ReactNode;
  readonly aside: ReactNode;
  /** True: both columns are equally wide. */
  readonly isEven?: boolean;
}

/** Two columns, which are one in a small window. */
export function Columns({ children, aside, isEven }: ColumnsProps) {
  return (
    <div className={`${classes.columns} ${isEven ? classes.even : ''}`}>
      <div className={classes.column}>{children}</div>
      <div className={classes.column}>{aside}</div>
    </div>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Draws a border around the content. */
  readonly isPanel?: boolean;
  readonly children: ReactNode;
}

export function Section({ title, actions, isPanel, children }: SectionProps) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <div className={classes.sectionHeader}>
        <h2 id={id} className={classes.sectionTitle}>
          {title}
        </h2>
        {actions}
      </div>
      {isPanel ? <div className={classes.panel}>{children}</div> : children}
    </section>
  );
}
