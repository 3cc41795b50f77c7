export const severities = ['minor', 'major', 'critical'] as const;
