import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Card } from '#ui/page.tsx';
import classes from './overview.module.css';

/** What needs attention: endpoints that fail, or were disabled because they failed. */
export function Attention() {
  const at = useAt();
  const endpoints = useApi().useQuery(
    'get',
    '/console/v1/webhooks/endpoints',
    { params: { query: { limit: 100 } } },
    { enabled: useCan('webhooks:read') },
  );
  const troubled = (endpoints.data?.items ?? []).filter(({ enabled, failingSince, disabledReason }) =>
    enabled ? failingSince !== null : disabledReason !== 'request',
  );
  if (troubled.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className={classes.attention}>
        {troubled.map(({ id, url, enabled }) => (
          <Text key={id} component="li" size="sm">
            <Anchor component={Link} to={at(`/webhooks/${id}`)} size="sm" underline="always">
              {url}
            </Anchor>{' '}
            {enabled ? 'does not accept webhooks.' : 'was disabled because it failed.'}
          </Text>
        ))}
      </ul>
    </Card>
  );
}
