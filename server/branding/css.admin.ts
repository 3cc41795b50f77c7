import { Type } from 'typebox';
import { projectOf } from '#environments';
import { post, type Routes } from '#platform/route.ts';
import { Branding, StyleSheet } from '#settings';
import { compileStyleSheet } from '#style-sheets';

const { accentColor, backgroundColor } = Branding.properties;
const atLeast1 = Type.Integer({ minimum: 1 });

const Check = Type.Object(
  {
    css: StyleSheet,
    accentColor: Type.Optional(accentColor),
    backgroundColor: Type.Optional(backgroundColor),
  },
  { additionalProperties: false },
);

const Checked = Type.Object(
  {
    faults: Type.Array(
      Type.Object({
        line: atLeast1,
        column: atLeast1,
        message: Type.String({ description: 'What is wrong, and what was expected.' }),
      }),
      { description: 'In the order of the text; at most twenty. Without any, the style sheet can be saved.' },
    ),
  },
  { title: 'CheckedStyleSheet' },
);

/** The style sheet of a project environment; it is saved with the settings. */
export const cssRoutes: Routes = [
  post('/v1/admin/branding/css/check', {
    permission: 'settings:read',
    stepUp: false,
    summary: 'Check a style sheet',
    description:
      'Says what a save of `branding.css` would refuse, with these colours of the brand or the saved ones. Changes nothing.',
    body: Check,
    responses: { 200: Checked },
    silent: 'it changes nothing',
    handler: async ({ ctx, body: { css, ...colours } }) => {
      const { settings } = await projectOf(ctx.system, ctx.scope);
      const { faults } = await compileStyleSheet(css, { ...settings.branding, ...colours });
      return { faults };
    },
  }),
];
