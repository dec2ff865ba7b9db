import { describeViewer } from './viewer.ts'
import { describeZellijViewer } from './viewer-zellij.ts'

describeZellijViewer('tmux', describeViewer)
