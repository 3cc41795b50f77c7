import { ActionIcon, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react';
import { Documentation } from './documentation.ts';
import { BackIcon, BookIcon } from './icons.ts';
import classes from './page.module.css';
import { useScreenTitle } from './title.ts';

/** Whether the screen already has a heading. */
export const InPage = createContext(false);

type PageProps = {
  title: string;
  /** One sentence about the screen. */
  about?: ReactNode;
  /** The list that this record belongs to. */
  back?: { to: string; label: string };
  beside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

export function Page({ title, about, back, beside, actions, children }: PageProps) {
  useScreenTitle(title);
  const documentation = useContext(Documentation);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <div className={classes.names}>
          {back && (
            <Link to={back.to} className={classes.back}>
              <BackIcon size={14} aria-hidden /> {back.label}
            </Link>
          )}
          <div className={classes.titleLine}>
            <Title order={1} size="h3">
              {title}
            </Title>
            {beside}
            <ActionIcon
              component="a"
              href={documentation}
              target="_blank"
              variant="subtle"
              color="gray"
              aria-label="Documentation of this screen, in a new tab"
            >
              <BookIcon size={16} aria-hidden />
            </ActionIcon>
          </div>
          {about && (
            <Text size="sm" className={classes.about}>
              {about}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      <InPage value={true}>{children}</InPage>
    </div>
  );
}

type CardProps = {
  title?: string;
  about?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  /** Title on the left and body on the right on wide screens. */
  split?: boolean;
  children: ReactNode;
};

/** A card with a title; `flush` removes the padding for a table. */
export function Card({ title, about, actions, flush, split, children }: CardProps) {
  return (
    <section className={classes.card} data-split={split}>
      {(title || actions) && (
        <header className={classes.cardHead}>
          <div>
            {title && (
              <Title order={2} size="sm" fw={600}>
                {title}
              </Title>
            )}
            {about && (
              <Text size="sm" className={classes.about}>
                {about}
              </Text>
            )}
          </div>
          {actions && <div className={classes.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? undefined : classes.cardBody}>{children}</div>
    </section>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Columns({ children }: { children: ReactNode }) {
  return <div className={classes.columns}>{children}</div>;
}

/** Tabs between related screens. */
export function Tabs({ tabs, name }: { tabs: readonly { to: string; label: string }[]; name: string }) {
  const bar = useRef<HTMLElement>(null);
  // On a narrow screen the current tab may be scrolled out of view.
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, []);
  return (
    <nav ref={bar} className={classes.tabs} aria-label={name}>
      {tabs.map(({ to, label }) => (
        <Link key={to} to={to} className={classes.tab} activeOptions={{ exact: true, includeSearch: false }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
