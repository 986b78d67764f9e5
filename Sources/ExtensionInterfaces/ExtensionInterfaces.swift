// The sources of this module are the .varlink files beside this one; VarlinkPlugin makes Swift of them.
