import { describeZellijViewer } from './viewer-zellij.ts'

describeZellijViewer('tmux')
