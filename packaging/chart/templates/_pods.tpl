{{- define "latchkey.labels" -}}
app.kubernetes.io/name: latchkey
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "latchkey.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every pod of Latchkey has, whatever it runs. */}}
{{- define "latchkey.pod" -}}
# Kubernetes would describe every Service of the namespace in variables that begin with its name.
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: secrets
    secret: { secretName: {{ .Values.secretName }}, defaultMode: 0440 }
  - name: data
    emptyDir: {}
{{- end }}

{{- define "latchkey.container" -}}
image: {{ include "latchkey.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
volumeMounts:
  - { name: secrets, mountPath: /secrets, readOnly: true }
  - { name: data, mountPath: /data }
{{- end }}

{{- define "latchkey.env" -}}
- { name: LATCHKEY_MODE, value: production }
- { name: DATABASE_URL_FILE, value: /secrets/database-url }
{{- if .Values.usesDatabasePooler }}
- { name: DATABASE_DIRECT_URL_FILE, value: /secrets/database-direct-url }
{{- end }}
- { name: LATCHKEY_SECRET_FILE, value: /secrets/latchkey-secret }
- { name: LATCHKEY_SMTP_URL_FILE, value: /secrets/smtp-url }
# The kubelet and Prometheus ask the address of the pod.
- { name: LATCHKEY_INTERNAL_HOST, value: 0.0.0.0 }
- { name: LATCHKEY_DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
{{- range $name, $value := merge (dict) .Values.addresses (.Values.settings | default dict) }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}
