import { Button, Skeleton, Stack, Text, Title } from '@mantine/core';
import { createContext, type ReactNode, use } from 'react';
import { type Problem, problemOf } from '#api/problem.ts';
import { useCan } from '#api/scope.tsx';
import { Copy } from './copy.tsx';
import { AlertIcon, LockIcon, SearchIcon } from './icons.ts';
import { InPage } from './page.tsx';
import classes from './states.module.css';
import { useScreenTitle } from './title.ts';

export type Query<T> = {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  isPlaceholderData?: boolean;
  refetch: () => unknown;
};

/** Whether a list still shows the rows of the previous filters, because those of the new filters are loading. */
export const ShowsEarlierData = createContext(false);

/** Renders the data of a query, or its loading and error states. */
export function Loaded<T>(props: { query: Query<T>; skeleton?: ReactNode; children: (data: T) => ReactNode }) {
  const { query, skeleton, children } = props;
  if (query.data !== undefined)
    return <ShowsEarlierData value={query.isPlaceholderData === true}>{children(query.data)}</ShowsEarlierData>;
  if (query.isPending) return skeleton ?? <Loading />;
  return <Failure problem={problemOf(query.error)} onRetry={() => query.refetch()} />;
}

export function Loading({ lines = 5 }: { lines?: number }) {
  return (
    <Stack gap="sm" role="status" aria-label="Loading" p="md">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move
        <Skeleton key={index} height={18} width={`${92 - ((index * 17) % 45)}%`} />
      ))}
    </Stack>
  );
}

/** An empty state with an explanation and a first action. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={classes.state}>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" className={classes.detail} component="div">
          {children}
        </Text>
      )}
      {action}
    </div>
  );
}

export function Failure({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  if (problem.status === 403) return <NoPermission {...problem} />;
  if (problem.status === 404)
    return (
      <div className={classes.state}>
        <SearchIcon size={22} className={classes.icon} aria-hidden />
        <StateTitle>Not found</StateTitle>
        <Text size="sm" className={classes.detail}>
          It was removed, or it belongs to another project or environment.
        </Text>
      </div>
    );
  return (
    <div className={classes.state} role="alert">
      <AlertIcon size={22} className={classes.bad} aria-hidden />
      <StateTitle>{problem.title}</StateTitle>
      <Text size="sm" className={classes.detail}>
        {problem.detail}
      </Text>
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
      {problem.traceId && (
        <Text size="xs" className={classes.detail}>
          Trace <Copy value={problem.traceId} />
        </Text>
      )}
    </div>
  );
}

/** The title of a state. If the record can't be loaded there is no page, so this is also the title of the screen. */
function StateTitle({ children }: { children: string }) {
  const inPage = use(InPage);
  useScreenTitle(inPage ? null : children);
  if (inPage) return <Text fw={600}>{children}</Text>;
  return (
    <Title order={1} size="md">
      {children}
    </Title>
  );
}

/** Renders its children if the operator has a permission, else one message. */
export function Needs({ permission, children }: { permission: string; children: ReactNode }) {
  return useCan(permission) ? children : <NoPermission requiredPermission={permission} detail="" />;
}

function NoPermission({ requiredPermission, detail }: Pick<Problem, 'requiredPermission' | 'detail'>) {
  return (
    <div className={classes.state}>
      <LockIcon size={22} className={classes.icon} aria-hidden />
      <StateTitle>You don’t have access</StateTitle>
      <Text size="sm" className={classes.detail}>
        {requiredPermission ? (
          <>
            It needs <code>{requiredPermission}</code>. An owner or admin of the workspace can change your role.
          </>
        ) : (
          detail
        )}
      </Text>
    </div>
  );
}
