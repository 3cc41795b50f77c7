/** A group of the navigation: its pages by their path in `docs/`, in the order in which a reader needs them. */
export type Section = { name: string; pages: readonly string[] };

/** Where pages stand that are not in `docs/`, by their path in the repository. */
export const BROUGHT: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'reporting.md',
  'sdk/README.md': 'sdk/index.md',
  'sdk/api/README.md': 'sdk/api.md',
  'sdk/browser/README.md': 'sdk/browser.md',
  'sdk/create/README.md': 'sdk/create.md',
  'sdk/go/README.md': 'sdk/go.md',
  'sdk/next/README.md': 'sdk/next.md',
  'sdk/node/README.md': 'sdk/node.md',
  'sdk/python/README.md': 'sdk/python.md',
  'sdk/react/README.md': 'sdk/react.md',
};

/** Every page, once: a test compares this with the files. Those that are not in `docs/` are made by the build. */
export const SECTIONS: readonly Section[] = [
  { name: 'Start', pages: ['README.md', 'install.md', 'concepts.md', 'glossary.md', 'console-tour.md'] },
  {
    name: 'Guides',
    pages: [
      'guides/README.md',
      'guides/single-page-app.md',
      'guides/nextjs.md',
      'guides/node-back-end.md',
      'guides/native-app.md',
      'guides/command-line.md',
      'guides/machine.md',
      'guides/api.md',
      'guides/first-company.md',
    ],
  },
  {
    name: 'Sign-in',
    pages: [
      'sign-in-methods.md',
      'openid-connect.md',
      'account-page.md',
      'branding.md',
      'saml-applications.md',
      'custom-domains.md',
      'sms.md',
    ],
  },
  { name: 'People and access', pages: ['members.md', 'moving-in.md', 'authorization.md'] },
  { name: 'Organizations', pages: ['organizations.md', 'connections.md', 'saml.md', 'scim.md', 'setup-portal.md'] },
  {
    name: 'Events',
    pages: [
      'webhooks.md',
      'actions.md',
      'events.md',
      'audit-log.md',
      'log-streams.md',
      'log-streams/datadog.md',
      'log-streams/elastic.md',
      'log-streams/json-lines.md',
      'log-streams/otlp.md',
      'log-streams/splunk.md',
      'log-streams/syslog.md',
    ],
  },
  {
    name: 'Operate',
    pages: [
      'configuration.md',
      'configuration-as-code.md',
      'terraform.md',
      'operations.md',
      'moving-workspaces.md',
      'upgrading.md',
      'monitoring.md',
      'status.md',
      'performance.md',
      'scale.md',
    ],
  },
  {
    name: 'Reference',
    pages: [
      'api.md',
      'reference/index.md',
      'sdk/index.md',
      'sdk/api.md',
      'sdk/browser.md',
      'sdk/react.md',
      'sdk/next.md',
      'sdk/node.md',
      'sdk/python.md',
      'sdk/go.md',
      'sdk/create.md',
      'errors/index.md',
    ],
  },
  { name: 'Security', pages: ['security-model.md', 'conformance.md', 'reporting.md'] },
  { name: 'Project', pages: ['changelog.md', 'console.md'] },
];
